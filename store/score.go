package store

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxScore bounds a score, in units, on both sides. Half of an int64's range, so
// that the difference of any two scores is an int64 too.
const MaxScore int64 = 1<<62 - 1

// ParseScore reads a decimal number ("82.3", "-7", "1e3" is refused) as units of
// 10^-decimals, exactly. The error wraps [ErrInvalid] and says what is wrong:
// not a number, more decimals than the column keeps, or out of range.
func ParseScore(text string, decimals int) (int64, error) {
	negative, whole, fraction, err := splitDecimal(text)
	if err != nil {
		return 0, err
	}
	if len(fraction) > decimals {
		if extra := strings.TrimRight(fraction, "0"); len(extra) > decimals {
			return 0, fmt.Errorf("score %q has more decimals than the %d that the column keeps: %w", text, decimals, ErrInvalid)
		}
		fraction = fraction[:decimals]
	}
	digits := whole + fraction + strings.Repeat("0", decimals-len(fraction))
	units, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || units > MaxScore {
		return 0, fmt.Errorf("score %q is out of range, the limit is ±%s: %w", text, FormatScore(MaxScore, decimals), ErrInvalid)
	}
	if negative {
		units = -units
	}
	return units, nil
}

// Decimals counts the digits after the point of a decimal number, trailing zeros
// left out. The error wraps [ErrInvalid].
func Decimals(text string) (int, error) {
	_, _, fraction, err := splitDecimal(text)
	return len(strings.TrimRight(fraction, "0")), err
}

func splitDecimal(text string) (negative bool, whole, fraction string, err error) {
	body := text
	if negative = strings.HasPrefix(body, "-"); negative {
		body = body[1:]
	}
	whole, fraction, _ = strings.Cut(body, ".")
	if whole+fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return false, "", "", fmt.Errorf("score %q is not a decimal number: %w", text, ErrInvalid)
	}
	return negative, whole, fraction, nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// FormatScore writes units of 10^-decimals as the shortest decimal number.
func FormatScore(units int64, decimals int) string {
	if decimals == 0 {
		return strconv.FormatInt(units, 10)
	}
	sign, digits := "", strconv.FormatInt(units, 10)
	if units < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= decimals {
		digits = strings.Repeat("0", decimals-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-decimals], strings.TrimRight(digits[len(digits)-decimals:], "0")
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}

// AddScores adds two scores. The error wraps [ErrInvalid] when the sum leaves
// ±[MaxScore].
func AddScores(a, b int64) (int64, error) {
	sum := a + b // cannot wrap: both are within half of an int64's range
	if sum > MaxScore || sum < -MaxScore {
		return 0, fmt.Errorf("the sum of %d and %d units is out of range, the limit is ±%d: %w", a, b, MaxScore, ErrInvalid)
	}
	return sum, nil
}
