package plugin

import (
	"errors"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

var errLeftOut = errors.New("the local cluster's helm runs no plugins in WebAssembly")

type RuntimeConfigExtismV1 struct{}

func (*RuntimeConfigExtismV1) Validate() error { return errLeftOut }

type RuntimeExtismV1 struct {
	HostFunctions    map[string]extism.HostFunction
	CompilationCache wazero.CompilationCache
}

func (*RuntimeExtismV1) CreatePlugin(string, *Metadata) (Plugin, error) { return nil, errLeftOut }
