import CairnCLMDB
import CairnStore
import Foundation

/// What LMDB said when a call failed.
///
/// Only this type turns LMDB's codes into ``StoreError``s.
struct LMDBFailure {
    /// LMDB's code, or `errno`.
    var code: Int32
    /// What was tried: `begin`, `get`, `put`, ….
    var operation: String

    /// The error that a caller of the store sees.
    func storeError(at location: StoreLocation) -> StoreError {
        switch code {
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL:
            .corrupt(location, location: "the tree of a table", detail: message)
        case MDB_INVALID, MDB_VERSION_MISMATCH:
            .notAStore(location, expected: LMDBStore.type, found: message)
        case MDB_READERS_FULL: .busy(location, waited: .zero)
        case EROFS, EACCES: .readOnly(location)
        default: .engineFailure(engineFailure(at: location))
        }
    }

    /// The failure in the contract's form.
    func engineFailure(at location: StoreLocation) -> EngineFailure {
        // A disk that is full or failed stays so, and after a failed write another one proves nothing.
        EngineFailure(
            type: LMDBStore.type, location: location, operation: operation, code: Int(code),
            message: message, isTransient: code == ENOMEM)
    }

    /// The library's own message.
    private var message: String { String(cString: mdb_strerror(code)) }
}

extension StoreError {
    /// Whether a write found no room in the map; the save is then done again in a larger one.
    var isMapFull: Bool {
        if case .engineFailure(let failure) = self {
            failure.code == Int(MDB_MAP_FULL)
        } else {
            false
        }
    }
}
