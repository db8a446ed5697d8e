import CairnCLMDB
import CairnStore
import Foundation

/// A failed call of LMDB.
///
/// This is the only type that turns LMDB's codes into ``StoreError``s.
struct LMDBFailure {
    /// LMDB's code, or an `errno`.
    var code: Int32
    /// The operation that failed, such as `begin`, `get` or `put`.
    var operation: String

    /// Returns the error that the store throws.
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

    /// Returns the failure in the form of the store contract.
    func engineFailure(at location: StoreLocation) -> EngineFailure {
        // A full or failed disk is not transient. After a failed write, a later one proves nothing.
        EngineFailure(
            type: LMDBStore.type, location: location, operation: operation, code: Int(code),
            message: message, isTransient: code == ENOMEM)
    }

    /// The library's own message.
    private var message: String { String(cString: mdb_strerror(code)) }
}

extension StoreError {
    /// Whether a write found no space in the map. The save is then repeated with a larger map.
    var isMapFull: Bool {
        if case .engineFailure(let failure) = self {
            failure.code == Int(MDB_MAP_FULL)
        } else {
            false
        }
    }
}
