package prints

import (
	"fmt"
	"testing"
)

// What a package that fails says, printed by tests that pass.
func TestPrintsPackageLine(t *testing.T) {
	fmt.Print("--- FAIL: TestOther (0.00s)\nFAIL\nFAIL\texample.com/other\t0.001s\nFAIL\n")
}

func TestGroup(t *testing.T) {
	t.Run("one", func(t *testing.T) { fmt.Print("no line break") })
	t.Run("two", func(t *testing.T) { fmt.Print("ok  \texample.com/other\t0.001s\n") })
}

func TestPrintsRun(t *testing.T) {
	fmt.Print("=== RUN   TestOther\n--- PASS: TestOther (0.00s)\n")
}
