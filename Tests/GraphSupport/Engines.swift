import Cairn
import CairnStore

// The engines on which tests run. All lists are derived from `StoreRegistry.builtIn`, so a new built-in
// engine is included automatically.

/// All built-in engines, sorted by name.
package let everyEngine: [StoreType] = StoreRegistry.builtIn.types

/// The built-in engines that store data in files.
package let everyFileEngine = everyEngine.filter { builtIn($0) is any FileStore.Type }

/// The built-in engines that rewrite the whole file with each save.
package let everyWholeFileEngine = everyFileEngine.filter {
    builtIn($0)?.capabilities.rewritesWholeFile == true
}

/// The built-in engines that use files and write only changed rows to them.
package let everyRowWritingEngine = everyFileEngine.filter { !everyWholeFileEngine.contains($0) }

private func builtIn(_ type: StoreType) -> (any PersistentStore.Type)? {
    try? StoreRegistry.builtIn.engine(ofType: type)
}
