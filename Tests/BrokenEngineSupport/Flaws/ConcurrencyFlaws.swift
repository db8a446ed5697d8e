import CairnStore

extension Flaw {
    static let ofConcurrency: [Flaw] = [
        Flaw("lets threads overwrite each other's changes") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.updated.indices {
                    let row = request.updated[index].row
                    guard let version = try packing.stored(row.id)?.version else { continue }
                    request.updated[index].previousVersion = version
                    request.updated[index].row = packing.copy(of: row, version: version + 1) {
                        $0 == 40 ? 39 : $0
                    }
                }
            }
        },
        Flaw("says nothing of itself while a save is begun") {
            $0.metadataDuringSave = .isRefused
        },
        Flaw("shows metadata before its commit") {
            $0.metadataDuringSave = .showsWhatIsPrepared
        },
        Flaw("asks for the generation of a snapshot after it was taken") {
            $0.snapshots = .nameLaterGeneration
        },
        Flaw("does not wait for other saves") {
            $0.opening = { $0.options[.timeout] = 0 }
        },
    ]
}
