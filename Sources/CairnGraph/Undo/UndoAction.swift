/// One registered action.
struct UndoAction {
    /// Compared only: the target may have gone.
    let target: ObjectIdentifier
    /// How many changes it takes back: what its memory grows with.
    let changeCount: Int
    let run: () -> Void
}
