import Cairn
import CairnStore
import CairnTestSupport
import Foundation

#if POSTGRESQL
import CairnPostgreSQL
import PostgreSQLStoreSupport
#endif

// The engines on which tests run. All lists are derived from `StoreRegistry.builtIn`, so a new built-in
// engine is included automatically.

/// All built-in engines, sorted by name. With `CAIRN_ENGINES=PostgreSQL`, only that engine, which tests have if they
/// are built with `CAIRN_POSTGRESQL`.
package let everyEngine: [StoreType] = {
    #if POSTGRESQL
    if TestSetting.text("CAIRN_ENGINES") == postgreSQL.rawValue {
        PersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self, type: postgreSQL)
        return [postgreSQL]
    }
    #endif
    return StoreRegistry.builtIn.types
}()

#if POSTGRESQL
private let postgreSQL: StoreType = "PostgreSQL"
#endif

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

extension TemporaryFolder {
    /// Returns where an engine's store with a name is: a file in the folder, `nil` in memory, or a schema of a server.
    package func url(of type: StoreType, _ name: String) -> URL? {
        #if POSTGRESQL
        if type == postgreSQL { return PostgreSQLHarness.address(name, in: url) }
        #endif
        return type == .inMemory ? nil : file(name)
    }
}
