package mixed

import (
	"fmt"
	"testing"
)

func TestAdds(t *testing.T)     {}
func TestCompares(t *testing.T) { t.Errorf("got %d, want %d", 1, 2) }
func TestSkipped(t *testing.T)  { t.Skip("not now") }
func TestTable(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Parallel() })
	t.Run("two", func(t *testing.T) { t.Parallel(); t.Fatal("subtest broke\nsecond line") })
}
func TestPrints(t *testing.T) { fmt.Println("ok  \texample.com/fake\t0.001s"); fmt.Print("no line break") }
