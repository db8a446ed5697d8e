extension Flaw {
    static let ofReadingCalls: [Flaw] = [
        Flaw("wants calls without IDs") {
            $0.preferred = { $0.idsPerCall = 0 }
        },
        Flaw("wants batches without rows") {
            $0.preferred = { $0.rowsPerBatch = 0 }
        },
        Flaw("finds nothing after the deadline") {
            $0.lateness = .answersNothing
        },
    ]

    static let ofRelationshipCalls: [Flaw] = [
        Flaw("answers questions the other way round") {
            $0.answeredTogether = { $0.members.reverse() }
        },
        Flaw("sends rows of members twice") {
            $0.answeredTogether = { $0.rows.append($0.rows) }
        },
    ]

    static let ofSnapshotCalls: [Flaw] = [
        Flaw("gives back nothing when snapshots have ended") {
            $0.ending = .givesNothingBack
        },
        Flaw("finds nothing once a snapshot has ended") {
            $0.ending = .answersNothing
        },
        Flaw("ends another snapshot when one ends again") {
            $0.ending = .endsTheNewest
        },
        Flaw("leaves deleted objects out of the changes") {
            $0.changed = { $0.deleted = [] }
        },
        Flaw("leaves changed objects out of the changes") {
            $0.changed = { $0.updated = [] }
        },
        Flaw("leaves new objects out of the changes") {
            $0.changed = { $0.inserted = [] }
        },
    ]
}
