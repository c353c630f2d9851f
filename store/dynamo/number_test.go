package dynamo

import "testing"

func TestPlainDecimal(t *testing.T) {
	for value, want := range map[string]string{
		"0": "0", "12": "12", "-12.50": "-12.50", "+7": "7", "8.23e1": "82.3", "1E3": "1000", "-1.5e+2": "-150",
		"12e-1": "1.2", "5e-3": "0.005", "-5E-1": "-0.5", "100e-2": "1", "0e5": "0", "12345e-5": "0.12345",
	} {
		if got, err := plainDecimal(value); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", value, got, err, want)
		}
	}
	for _, value := range []string{"1e", "1e999999999", "1ex"} {
		if got, err := plainDecimal(value); err == nil {
			t.Errorf("%s is %q", value, got)
		}
	}
	for _, value := range []string{"1e20", "0.001", "e5", "1.2.3"} {
		if got, err := parseUnits(value, 2); err == nil {
			t.Errorf("%s is %d units of 0.01", value, got)
		}
	}
}
