extension Flaw {
    static let ofParallelSaves: [Flaw] = [
        Flaw("lets the last of two parallel savers win") {
            $0.engine = OptimisticStore<OverwritesOthers>.self
        },
        Flaw("lets parallel savers break a reference together") {
            $0.engine = OptimisticStore<BreaksReferences>.self
        },
    ]
}
