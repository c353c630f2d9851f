package rankcurve

import (
	"context"
	"errors"

	"github.com/rankcurve/rankcurve/predictor"
)

type curves struct{}

func newCurves() curves { return curves{} }

// Curve is the process's copy of a column's published curve. The error is
// [ErrNoCurve] or [ErrBadCurve] if there is none to use.
func (b *Board) Curve(ctx context.Context, column string) (*predictor.Curve, error) {
	return nil, errors.ErrUnsupported
}
