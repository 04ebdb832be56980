<?php

use PHPUnit\Framework\TestCase;

final class PrintsTest extends TestCase
{
    private function say(): void
    {
        fwrite(STDOUT, file_get_contents('printed/' . getenv('PRINTS') . '.txt'));
    }

    public function testAdds(): void
    {
        $this->assertSame(2, 1 + 1);
    }

    public function testPrints(): void
    {
        $this->say();
        $this->assertTrue(true);
    }

    public function testBreaks(): void
    {
        if (getenv('RED') === '1') {
            $this->say();
            $this->assertSame(1, 2);
        }
        $this->assertTrue(true);
    }

    public function testLater(): void
    {
        $this->markTestSkipped('later');
    }
}
