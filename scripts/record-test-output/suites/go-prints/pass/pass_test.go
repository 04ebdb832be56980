package pass

import "testing"

func TestAdds(t *testing.T)  {}
func TestReads(t *testing.T) { t.Log("a note") }
