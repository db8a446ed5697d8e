extension ManagedObjectContext {
    /// Whether changes may have to be taken back after they were saved.
    var isRecordingUndo: Bool { false }
}
