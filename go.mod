module github.com/rankcurve/rankcurve

go 1.26.8
