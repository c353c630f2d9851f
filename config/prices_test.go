package config_test

import (
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
)

func TestPrices(t *testing.T) {
	want := config.Prices{ReadUnitMillion: 0.125, WriteUnitMillion: 0.625, RAMGBMonth: 12}
	if got := config.Default().Prices; got != want {
		t.Errorf("by default %+v, want %+v", got, want)
	}
	c, err := config.Load("", []string{"RANKCURVE_PRICES_RAM_GB_MONTH=9.5", "RANKCURVE_PRICES_READ_UNIT_MILLION=0"}, nil)
	if want := (config.Prices{WriteUnitMillion: 0.625, RAMGBMonth: 9.5}); err != nil || c.Prices != want {
		t.Errorf("%+v, %v, want %+v", c.Prices, err, want)
	}
	for _, amount := range []string{"-1", "1e3", "0x1p2", "NaN", "1,5", ".5", "1.", "12 dollars", "9999999999"} {
		_, err := config.Load("", []string{"RANKCURVE_PRICES_WRITE_UNIT_MILLION=" + amount}, nil)
		if err == nil || !strings.Contains(err.Error(), "RANKCURVE_PRICES_WRITE_UNIT_MILLION: prices.write_unit_million: ") || !strings.Contains(err.Error(), "is not an amount") {
			t.Errorf("%q: %v", amount, err)
		}
	}
}
