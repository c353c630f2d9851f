package main

import "testing"

func TestDollarsHaveTheDecimalsTheyNeed(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "$0", 3280 * 0.125e-6: "$0.00041", 0.5 * 0.125e-6: "$0.000000062", 0.0999: "$0.10", 0.123: "$0.12",
		1: "$1.00", 99.994: "$99.99", 99.999: "$100", 1234.5: "$1,235",
	} {
		if got := dollars(amount); got != want {
			t.Errorf("%v dollars are written as %s, want %s", amount, got, want)
		}
	}
}
