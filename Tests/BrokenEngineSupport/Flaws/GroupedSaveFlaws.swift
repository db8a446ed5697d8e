extension Flaw {
    static let ofGroupedSaves: [Flaw] = [
        Flaw("commits each request of a group when it is prepared") { $0.grouping = .commitsEach },
        Flaw("acknowledges a group and saves nothing of it") { $0.grouping = .commitsNothing },
        Flaw("gives up a group because one of its requests conflicts") {
            $0.grouping = .losesTheGroup
        },
        Flaw("saves the new rows of a request of a group that it refuses") {
            $0.grouping = .keepsHalfOfWhatItRefuses
        },
        Flaw("records the name of a request of a group that it refuses") {
            $0.grouping = .recordsNamesOfRefused
        },
        Flaw("does not report conflicts of a request of a group") {
            $0.grouping = .acceptsConflicts
        },
        Flaw("does not return the values that it computed for a request of a group") {
            $0.grouping = .returnsNoComputedRows
        },
        Flaw("saves a request of a group that was discarded") { $0.grouping = .discardsNothing },
        Flaw("discards a whole group instead of its last request") {
            $0.grouping = .discardsAll
        },
        Flaw("saves the parts of a save as saves of their own") {
            $0.grouping = .savesPartsApart
        },
        Flaw("saves only the first part of a save") { $0.grouping = .losesLaterParts },
    ]
}
