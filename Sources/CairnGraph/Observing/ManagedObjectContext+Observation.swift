import Observation

extension ManagedObjectContext {
    /// Whether the context's objects can be observed by the Observation framework: who reads them
    /// inside of `withObservationTracking` is told when what was read changes.
    ///
    /// A property is the same for a typed accessor, a name and a key path. Observers of it are told
    /// when it is set, when the other end of its relationship is, by undo, redo and rollback, by a
    /// save that derives another value, and by a refresh or merge that may give it another one. A
    /// deletion, taken back or not, is a change of all properties. Fetched properties ask their
    /// store each time and are not observed.
    ///
    /// ```swift
    /// context.observesObjects = true
    /// withObservationTracking {
    ///     label = song.title
    /// } onChange: {
    ///     Task { @MainActor in update() }
    /// }
    /// ```
    ///
    /// As the framework has it, `onChange` is called once, in the context's turn, just before the
    /// value changes. False at first: then reading costs what it costs without observers, and
    /// nothing is kept. Where it is true, reading a value takes the general way, some fifteen times as
    /// long, and each object that was read has a registrar until it goes. What was read before it
    /// was made true is not observed; made false, nobody is told any more.
    ///
    /// - Precondition: of setting it, the calling thread is in a turn of the context.
    public var observesObjects: Bool {
        get { kinds.observation != nil }
        set {
            requireTurn("observesObjects")
            guard newValue != observesObjects else { return }
            kinds.observation = newValue ? ObservedObjects() : nil
        }
    }
}
