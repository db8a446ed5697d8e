import CairnRows

extension Flaw {
    static let ofReading: [Flaw] = [
        Flaw("has rows for unknown IDs") {
            $0.found = { (batch, ids, packing) in
                guard let row = batch.rows.first(where: { _ in true }) else { return batch }
                let missing = ids.filter { id in
                    id.rootEntity == row.rootEntity && !batch.ids.contains(id)
                }
                return RowBatch(batch.rows + missing.map { packing.copy(of: row, key: $0.key) })
            }
        },
        Flaw("finds rows only under their concrete entity") {
            $0.found = { (batch, ids, _) in
                let entities = Set(ids.map(\.entity))
                return RowBatch(batch.rows.filter { entities.contains($0.entity) })
            }
        },
        Flaw("has another row for an ID that is asked for alone") {
            $0.foundAlone = { row, packing in row.map { packing.copy(of: $0, key: $0.key + 1) } }
        },
        Flaw("has no row for an ID that is asked for alone") {
            $0.foundAlone = { _, _ in nil }
        },
        Flaw("ends with an empty batch") {
            $0.batchSize = { $0 == 11 ? 0 : $0 }
        },
        Flaw("gives more rows than were asked for") {
            $0.batchSize = { $0 * 2 }
        },
        Flaw("loses the last row of a fetch") {
            $0.answered = { (answer, _, _) in answer.slice(0..<max(0, answer.count - 1)) }
        },
        Flaw("ignores includesSubentities") {
            $0.asked = { $0.includesSubentities = true }
        },
        Flaw("gives rows where IDs are wanted") {
            $0.asked = { $0.output = .rows }
        },
        Flaw("answers an ID as often as it is asked for") {
            $0.found = { (batch, ids, _) in
                RowBatch(ids.flatMap { id in batch.rows.filter { $0.key == id.key } })
            }
        },
    ]
}
