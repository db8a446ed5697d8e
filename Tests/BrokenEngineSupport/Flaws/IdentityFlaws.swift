import CairnStore

extension Flaw {
    static let ofIdentity: [Flaw] = [
        Flaw("begins a save without the keys that were asked for") {
            $0.begun = { $0.keys = [:] }
        },
        Flaw("begins a save with keys that it gives again") {
            $0.begun = { $0.keys = $0.keys.mapValues { 1..<Int64($0.count) + 1 } }
        },
        Flaw("says that a save is made on an older state than it is") {
            $0.begun = { $0.generation = StoreGeneration(0) }
        },
        Flaw("keeps the lock of a save that did not get its keys") {
            $0.keepsLockWithoutKeys = true
        },
        Flaw("gives the same keys apart from saves each time") {
            $0.keysApart = { $0.mapValues { 1..<Int64($0) + 1 } }
        },
        Flaw("gives a key twice") {
            $0.keys = { $0.lowerBound > 1 ? $0.lowerBound - 1..<$0.upperBound - 1 : $0 }
        },
        Flaw("gives every save the same keys") {
            $0.keys = { 1..<Int64($0.count) + 1 }
        },
        Flaw("gives more keys than were asked for") {
            $0.keys = { $0.lowerBound..<$0.upperBound + 1 }
        },
    ]
}
