package main

import (
	"encoding/json"

	"github.com/riverqueue/river"
)

// value is encoded as it was given.
type value = json.RawMessage

// A type for each vector of unique keys over listed paths, named after it.
type (
	u44 struct {
		kinded
		A value `json:"a" river:"unique"`
		B value `json:"b"`
	}
	u45 struct {
		kinded
		Z value `json:"z" river:"unique"`
		A value `json:"a" river:"unique"`
		B value `json:"b"`
	}
	u46 struct {
		kinded
		B value `json:"b" river:"unique"`
		A value `json:"a"`
	}
	town struct {
		City value `json:"city" river:"unique"`
		Zip  value `json:"zip" river:"unique"`
		No   value `json:"no"`
	}
	// u47 has one type twice, of which Go looks into the first alone.
	u47 struct {
		kinded
		To   town  `json:"to"`
		From *town `json:"from"`
		N    value `json:"n" river:"unique"`
	}
	u48 struct {
		kinded
		P *town `json:"p"`
	}
	u49 struct {
		kinded
		A value `json:"a" river:"unique"`
		B value `json:"b,omitempty" river:"unique"`
		C value `json:"c"`
	}
	u50 struct {
		kinded
		B value `json:"b,omitempty" river:"unique"`
		C value `json:"c"`
	}
	pair struct {
		B value `json:"b"`
		A value `json:"a"`
	}
	u52 struct {
		kinded
		P pair  `json:"p" river:"unique"`
		C value `json:"c"`
	}
	u53 struct {
		kinded
		M map[string]int `json:"m" river:"unique"`
		S []string       `json:"s" river:"unique"`
	}
	marked struct {
		B value `json:"b" river:"unique"`
	}
	u54 struct {
		kinded
		A0 value  `json:"a0" river:"unique"`
		A  marked `json:"a"`
		AB value  `json:"a-b" river:"unique"`
	}
	u55 struct {
		kinded
		A   *marked `json:"a,omitempty"`
		Dot value   `json:"a.b"`
		C   value   `json:"c" river:"unique"`
	}
	u56 struct {
		kinded
		To marked `json:"to"`
		Cc marked `json:"cc"`
	}
	u57 struct {
		kinded
		To marked `json:"to"`
		Cc marked `json:"cc" river:"unique"`
	}
	u59 struct {
		kinded
		At value `json:"at" river:"unique"`
	}
	u60 struct {
		kinded
		S struct {
			T value `json:"t" river:"unique"`
		} `json:"s"`
	}
	u61 struct {
		kinded
		Dot value `json:"a.b" river:"unique"`
		A   struct {
			B value `json:"b"`
		} `json:"a"`
		B value `json:"b"`
	}
)

// taggedVector reads the arguments into the type of a vector; nil when there is none of that name.
func taggedVector(name string, tag kinded, raw json.RawMessage) (river.JobArgs, error) {
	switch name {
	case "U44":
		return readArgs(raw, u44{kinded: tag})
	case "U45":
		return readArgs(raw, u45{kinded: tag})
	case "U46":
		return readArgs(raw, u46{kinded: tag})
	case "U47":
		return readArgs(raw, u47{kinded: tag})
	case "U48", "U51":
		return readArgs(raw, u48{kinded: tag})
	case "U49":
		return readArgs(raw, u49{kinded: tag})
	case "U50":
		return readArgs(raw, u50{kinded: tag})
	case "U52":
		return readArgs(raw, u52{kinded: tag})
	case "U53":
		return readArgs(raw, u53{kinded: tag})
	case "U54":
		return readArgs(raw, u54{kinded: tag})
	case "U55":
		return readArgs(raw, u55{kinded: tag})
	case "U56":
		return readArgs(raw, u56{kinded: tag})
	case "U57":
		return readArgs(raw, u57{kinded: tag})
	case "U59":
		return readArgs(raw, u59{kinded: tag})
	case "U60":
		return readArgs(raw, u60{kinded: tag})
	case "U61":
		return readArgs(raw, u61{kinded: tag})
	}
	return nil, nil
}
