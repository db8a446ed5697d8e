import CairnBinary
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import Testing

/// An engine that the suites of this folder run on.
struct TestedEngine: Sendable {
    let type: any PersistentStore.Type

    static let all = [
        TestedEngine(type: InMemoryStore.self), TestedEngine(type: BinaryStore.self),
        TestedEngine(type: XMLStore.self),
    ]

    /// Those and the ones that write rows.
    static let builtIn =
        all + [
            TestedEngine(type: SQLiteStore.self), TestedEngine(type: LMDBStore.self),
        ]

    /// The one that the current test runs on.
    @TaskLocal static var current = all[0]

    /// A new place for a store of the engine.
    func location(in folder: TemporaryFolder) -> StoreLocation {
        type.capabilities.isDurable ? .file(folder.file("music.store")) : .memory("music")
    }
}

/// Runs each test of a suite once on every engine.
struct EveryEngine: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    let engines: [TestedEngine]

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent () async throws -> Void
    ) async throws {
        for engine in engines {
            await TestedEngine.$current.withValue(engine) {
                do {
                    try await function()
                } catch {
                    Issue.record(error, "on \(engine.type.type)")
                }
            }
        }
    }
}

extension Trait where Self == EveryEngine {
    static var onEveryEngine: Self { EveryEngine(engines: TestedEngine.all) }
    static var onBuiltInEngines: Self { EveryEngine(engines: TestedEngine.builtIn) }
}
