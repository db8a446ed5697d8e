extension Flaw {
    static let ofParts: [Flaw] = [
        Flaw("finds a match in two parts of a fetch") {
            $0.parts = .overlap
        },
        Flaw("loses the last match of a divided fetch") {
            $0.parts = .lackTheLastMatch
        },
        Flaw("reads the parts of a fetch from the newest state") {
            $0.parts = .showTheNewest
        },
        Flaw("divides fetches that are not worth it") {
            $0.parts = .areTooSmall
        },
        Flaw("does not sort the parts of a fetch") {
            $0.parts = .leaveTheSort
        },
        Flaw("divides a fetch into more parts than asked for") {
            $0.parts = .areTooMany
        },
    ]
}
