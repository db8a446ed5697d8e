import Cairn
import CairnTestSupport
import Foundation
import Testing

/// How an error describes another engine's file. No engine knows the others' formats; the registry asks each
/// engine about its own files.
@Suite struct `A file of another engine` {
    private static let names: [StoreType: String] = [
        "SQLite": "a SQLite database", "LMDB": "an LMDB store", "Binary": "a binary store",
        "XML": "an XML store",
    ]

    @Test(arguments: names.keys)
    func `is named by that engine`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("store")
        let model = try ManagedObjectModel([EntityDescription("Song")])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.remove(try coordinator.addPersistentStore(ofType: type, at: url))

        for other in Self.names.keys where other != type {
            for error in errors(of: coordinator, url, other) {
                guard case .store(.notAStore(_, other, let found)) = error else {
                    Issue.record("\(other): \(error)")
                    continue
                }
                #expect(found == Self.names[type])
            }
        }
    }

    /// Returns the errors of opening, inspecting, moving and removing the file.
    private func errors(
        of coordinator: PersistentStoreCoordinator, _ url: URL, _ type: StoreType
    ) -> [GraphError] {
        let new = url.appendingPathExtension("new")
        return [
            error { _ = try coordinator.addPersistentStore(ofType: type, at: url) },
            error {
                _ = try PersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: type, at: url, registry: .builtIn)
            },
            error { try coordinator.movePersistentStore(at: url, to: new, ofType: type) },
            error { try coordinator.destroyPersistentStore(at: url, ofType: type) },
        ].compactMap { $0 }
    }

    private func error(_ body: () throws -> Void) -> GraphError? {
        do {
            try body()
            Issue.record("no error was thrown")
            return nil
        } catch {
            return error as? GraphError
        }
    }
}
