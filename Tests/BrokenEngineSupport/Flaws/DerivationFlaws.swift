import CairnRows

extension Flaw {
    static let ofDerivations: [Flaw] = [
        Flaw("reports computed rows as they were given") {
            $0.recomputed = { (computed, request) in
                let ids = Set(computed.ids)
                return RowBatch(request.inserted.rows.filter { ids.contains($0.id) })
            }
        },
        Flaw("leaves computed rows out of changes") {
            $0.changed = { _ in }
            $0.changesByVersion = true
        },
    ]
}
