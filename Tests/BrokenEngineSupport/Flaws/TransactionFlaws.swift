import CairnRows

extension Flaw {
    static let ofTransactions: [Flaw] = [
        Flaw("takes a second prepare for the first") {
            $0.saving = .preparesTwice
        },
        Flaw("commits what was not prepared") {
            $0.saving = .commitsUnprepared
        },
        Flaw("answers after its end") {
            $0.saving = .answersAfterItsEnd
        },
        Flaw("prepares in a closed store") { $0.closes = false },
        Flaw("drops rows that it does not know") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.filter { packing.layouts.layout(of: $0.entity) != nil })
            }
        },
        Flaw("takes bytes that are nowhere for nil") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { $0 }
            }
        },
        Flaw("gives copied rows new versions") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, version: 1) })
            }
        },
        Flaw("says of rows that it does not know that the store is damaged") {
            $0.refused = takeUnsupportedForDamage
        },
        Flaw("loses what it prepared when it is asked again") {
            $0.saving = .losesWhatItPrepared
        },
        Flaw("corrects the versions of updates") {
            $0.requested = { (request, packing) in
                for index in request.updated.indices {
                    let update = request.updated[index]
                    request.updated[index].row = packing.copy(
                        of: update.row, version: update.previousVersion &+ 1)
                }
            }
        },
        Flaw("corrects the versions of new rows") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, version: max($0.version, 1)) })
            }
        },
        Flaw("gives new rows permanent keys") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { row in
                        packing.copy(of: row, key: row.key > 0 ? row.key : 1_000_000)
                    })
            }
        },
    ]
}
