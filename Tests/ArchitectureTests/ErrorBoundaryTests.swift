import Foundation
import Testing

/// Code that works on engines throws `StoreError`, and code that works on files in `CairnStoreCopying` throws
/// `FileFailure`. Only the files that callers use translate these errors into the error types of their layer.
@Suite struct `Errors of an inner layer` {
    /// The types whose files create errors of the outer layer, by module.
    private static let boundary: [String: Set<String>] = [
        "CairnStack": [
            "PersistentStoreCoordinator", "StateReading", "PinnedSource", "StoreOpener",
            "CoordinatedSave", "GraphError", "BatchContent",
        ],
        "CairnObjects": ["PendingChanges"],
        "CairnQueries": ["PersistentContainer"],
        "CairnGraphFiles": [
            "PersistentStoreCoordinator", "MigrationManager", "StoreMigrator", "StoreCopier",
        ],
        "CairnStoreCopying": [
            "StoreCopier", "ClosedStore", "StorePlacement", "StoreMigration", "StoreError",
            "StoreBackup", "StoreRestore",
        ],
    ]

    /// Patterns of code that turns an inner error into an outer one.
    private static let translations = [
        #"\bGraphError(\.init)?\(of(Store|Save|Opening|Copy)\b"#, #"\bStoreCopyError\(error, at:"#,
        #"throw (GraphError|StoreCopyError)?\.(store|model)\(\w+\)"#,
    ]

    private static func translations(
        in source: String, of type: String, module: String
    ) -> [String] {
        // A closure around each call would hide the line at which an error changes its type.
        var unwanted = [#"\btranslating(\(| \{)"#]
        if let types = boundary[module], !types.contains(type) { unwanted += translations }
        if module == "CairnStoreCopying", type != "StoreError" {
            unwanted.append(#"throw (StoreError)?\.fileFailure\(error\)"#)
        }
        return unwanted.filter { source.range(of: $0, options: .regularExpression) != nil }
    }

    @Test func `are translated by the files that the layer's callers use`() throws {
        let files = try SourceFiles.all().filter { Self.boundary.keys.contains($0.module) }

        let found = files.flatMap { file in
            Self.translations(in: file.text, of: file.typeName, module: file.module)
                .map { "\(file.path): \($0)" }
        }

        #expect(found == [])
        #expect(files.count > 150)
    }

    @Test func `are translated by every type that is allowed to`() throws {
        let files = try SourceFiles.all()

        let idle = Self.boundary.flatMap { module, types in
            types.filter { type in
                !files.contains { file in
                    file.module == module && file.typeName == type
                        && !Self.translations(in: file.text, of: "Other", module: module).isEmpty
                }
            }
        }

        #expect(idle == [])
    }

    @Test(arguments: [
        "throw GraphError(ofStore: error)", "outcome.mapError(GraphError.init(ofSave:))",
        "} catch {\n    throw .store(error)\n}", "throw GraphError.model(error)",
        "try GraphError.translating { () throws(StoreError) in try cursor.next(atMost: 1) }",
    ])
    func `are reported if another type of the graph translates them`(_ source: String) {
        let found = Self.translations(in: source, of: "FetchPipeline", module: "CairnStack")

        #expect(found.count == 1)
    }

    @Test(arguments: [
        "throw StoreCopyError(error, at: location)", "throw .store(error)",
        "throw .fileFailure(error)", "try StoreError.translating { () throws(FileFailure) in }",
    ])
    func `are reported if another type of the copying module translates them`(_ source: String) {
        let found = Self.translations(in: source, of: "StoreFilling", module: "CairnStoreCopying")

        #expect(found.count == 1)
    }
}
