import CairnModel
import Synchronization

/// Creates the keys of temporary IDs. Keys count down from −1 and are unique in the process.
enum TemporaryKeys {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 {
        last.subtract(1, ordering: .relaxed).newValue
    }
}
