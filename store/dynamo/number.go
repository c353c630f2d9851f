package dynamo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

// parseUnits reads a number of DynamoDB as units of a column. Numbers may come
// with an exponent, as others may have written them.
func parseUnits(value string, decimals int) (int64, error) {
	plain, err := plainDecimal(value)
	if err != nil {
		return 0, err
	}
	return store.ParseScore(plain, decimals)
}

// floorUnits is the last whole unit up to a number that lies between two.
func floorUnits(value string, decimals int) (int64, error) {
	plain, err := plainDecimal(value)
	if err != nil {
		return 0, err
	}
	whole, fraction, _ := strings.Cut(plain, ".")
	units, err := store.ParseScore(whole+"."+fraction[:min(len(fraction), decimals)], decimals)
	if err == nil && strings.HasPrefix(plain, "-") {
		units-- // what was cut off was towards zero
	}
	return units, err
}

func parseInteger(value string) (int64, error) {
	plain, err := plainDecimal(value)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(plain, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no integer of 64 bits: %w", value, store.ErrInvalid)
	}
	return n, nil
}

// DynamoDB's numbers are below 1e126 and have 38 digits.
const maxExponent = 130

// plainDecimal writes 8.23e1 as 82.3.
func plainDecimal(value string) (string, error) {
	at := strings.IndexAny(value, "eE")
	if at < 0 {
		return strings.TrimPrefix(value, "+"), nil
	}
	exponent, err := strconv.Atoi(value[at+1:])
	if at == 0 || err != nil || exponent < -maxExponent || exponent > maxExponent {
		return "", fmt.Errorf("%q is not a decimal number: %w", value, store.ErrInvalid)
	}
	mantissa, negative := strings.CutPrefix(strings.TrimPrefix(value[:at], "+"), "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point := len(whole) + exponent
	digits := whole + fraction
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	plain := strings.TrimLeft(digits[:point], "0")
	if plain == "" {
		plain = "0"
	}
	if rest := strings.TrimRight(digits[point:], "0"); rest != "" {
		plain += "." + rest
	}
	if negative {
		plain = "-" + plain
	}
	return plain, nil
}
