extension Flaw {
    static let ofClosing: [Flaw] = [
        Flaw("finds no row once it is closed") { $0.closing = .hidesRows },
        Flaw("acknowledges a save after it was closed") {
            $0.closing = .acknowledgesSaves
        },
    ]
}
