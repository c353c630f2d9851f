package rankcurve

type seam struct{}

func newSeam() seam { return seam{} }
