import CairnStore

extension Flaw {
    static let ofBeginning: [Flaw] = [
        Flaw("begins a save without the keys that were asked for", noticedBy: "identity") {
            $0.begun = { $0.keys = [:] }
        },
        Flaw("begins a save with keys that it gives again", noticedBy: "identity") {
            $0.begun = { $0.keys = $0.keys.mapValues { 1..<Int64($0.count) + 1 } }
        },
        Flaw("says that a save is made on an older state than it is", noticedBy: "identity") {
            $0.begun = { $0.generation = StoreGeneration(0) }
        },
        Flaw("keeps the lock of a save that did not get its keys", noticedBy: "identity") {
            $0.keepsLockWithoutKeys = true
        },
        Flaw("gives the same keys apart from saves each time", noticedBy: "identity") {
            $0.keysApart = { $0.mapValues { 1..<Int64($0) + 1 } }
        },
        Flaw("lets the last of two parallel savers win", noticedBy: "parallel saves") {
            $0.engine = OptimisticStore<OverwritesOthers>.self
        },
    ]
}
