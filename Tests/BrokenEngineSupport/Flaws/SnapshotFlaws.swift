import CairnStore

extension Flaw {
    static let ofSnapshots: [Flaw] = [
        Flaw("shows later saves in a snapshot") {
            $0.snapshots = .showTheNewest
        },
        Flaw("shows the first state for ever") {
            $0.snapshots = .showTheFirst
        },
        Flaw("does not raise the generation") {
            $0.generation = { _ in StoreGeneration(1) }
        },
        Flaw("lets the generation fall") {
            $0.generation = { StoreGeneration(1000 - min(999, $0.rawValue)) }
        },
        Flaw("hides saves of metadata alone") {
            $0.saving = .hidesSavesOfMetadata
        },
    ]
}
