import CairnModel
import CairnStore
import Synchronization

/// Keys of temporary IDs: −1 and down, each once in the process.
enum TemporaryKeys {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 {
        last.subtract(1, ordering: .relaxed).newValue
    }
}
