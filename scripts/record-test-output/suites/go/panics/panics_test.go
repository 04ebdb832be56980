package panics

import "testing"

func TestFirst(t *testing.T) {}

func TestPanics(t *testing.T) { panic("boom") }

func TestNever(t *testing.T) {}
