package example

import (
	"fmt"
	"testing"
)

func ExampleHello() {
	fmt.Println("hello")
	// Output: hello
}

func BenchmarkNothing(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
