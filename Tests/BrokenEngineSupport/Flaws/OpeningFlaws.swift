import CairnModel
import CairnRows
import CairnSQLite
import CairnStore
import Foundation

extension Flaw {
    static let ofOpening: [Flaw] = [
        Flaw("ignores the configuration") {
            $0.opening = { $0.configuration = nil }
        },
        Flaw("says of objects that it does not hold that the store is damaged") {
            $0.refused = takeUnsupportedForDamage
        },
        Flaw("reserves no keys for what it does not hold, and does not say so") {
            $0.saving = .skipsKeysOfUnknownEntities
        },
        Flaw("takes options it does not know") {
            $0.opening = { $0.options = $0.options.filter { $0.key == .timeout } }
        },
        Flaw("makes a file where a name in memory was given") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in
                if case .memory(let name) = request.location {
                    request.location = .file(URL(fileURLWithPath: name))
                }
            }
        },
        Flaw("creates a store that is not to be created") {
            $0.opening = { request in
                request.createsMissing = true
                request.isReadOnly = false
            }
        },
        Flaw("goes on after it was closed") { $0.closes = false },
        Flaw("gives every store one identifier") {
            $0.described = { metadata, _ in
                metadata.identifier = "00000000-0000-0000-0000-000000000001"
            }
        },
        Flaw("forgets the hash of an entity") {
            $0.described = { metadata, _ in metadata.entityVersionHashes["Genre"] = nil }
        },
        Flaw("does not report what it computed") {
            $0.recomputed = { _, _ in RowBatch() }
        },
    ]

    /// Reports a feature that the engine does not support as damage.
    static let takeUnsupportedForDamage: @Sendable (StoreError) -> StoreError = { error in
        guard case .unsupported(let location, let feature, _) = error else { return error }
        return .corrupt(location, location: "a row to save", detail: feature)
    }
}
