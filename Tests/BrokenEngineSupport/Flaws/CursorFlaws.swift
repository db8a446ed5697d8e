extension Flaw {
    static let ofCursors: [Flaw] = [
        Flaw("goes on with the newest cursor only") {
            $0.cursors = .onlyTheNewestGoesOn
        },
        Flaw("says something else of a plan once it is read") {
            $0.cursors = .forgetWhatTheyClaimed
        },
        Flaw("counts no rows in an explained fetch") { $0.cursors = .countNoRows },
        Flaw("gives reasons for stages that do not remain") {
            $0.cursors = .giveReasonsForNothing
        },
        Flaw("ends a fetch quietly at a pattern that takes too many steps") {
            $0.cursors = .endQuietlyAtErrors
        },
        Flaw("ends every fetch of a cancelled task") {
            $0.asked = { $0.isCancellable = true }
        },
    ]
}
