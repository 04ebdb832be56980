package mainfail

import (
	"os"
	"testing"
)

func TestOne(t *testing.T) {}

func TestMain(m *testing.M) {
	m.Run()
	os.Exit(3)
}
