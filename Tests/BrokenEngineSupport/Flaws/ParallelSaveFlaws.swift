import CairnStore

extension Flaw {
    static let ofParallelSaves: [Flaw] = [
        Flaw("lets the last of two parallel savers win") {
            $0.engine = OptimisticStore<OverwritesOthers>.self
        }
    ]
}
