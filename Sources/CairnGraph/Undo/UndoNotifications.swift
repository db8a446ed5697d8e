/// The names under which undo managers post, all of the process.
enum UndoNotifications {
    static let checkpoint = ObservableName("CairnUndoManagerCheckpoint")
    static let didOpenGroup = ObservableName("CairnUndoManagerDidOpenUndoGroup")
    static let willCloseGroup = ObservableName("CairnUndoManagerWillCloseUndoGroup")
    static let didCloseGroup = ObservableName("CairnUndoManagerDidCloseUndoGroup")
    static let willUndo = ObservableName("CairnUndoManagerWillUndoChange")
    static let didUndo = ObservableName("CairnUndoManagerDidUndoChange")
    static let willRedo = ObservableName("CairnUndoManagerWillRedoChange")
    static let didRedo = ObservableName("CairnUndoManagerDidRedoChange")
}
