/// The intervals at which a watcher looks at its stores.
package struct WatchPace: Sendable {
    /// The pauses between the looks after an event.
    ///
    /// Several looks are needed because a commit may become visible only after the event. SQLite,
    /// for example, first writes and synchronizes its log, and then makes the commit valid in an
    /// index in shared memory, which causes no event.
    package var pausesAfterEvent: [Duration] = [
        .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
    ]
    /// The minimum time between two looks, so that many saves result in one report.
    package var shortestPause: Duration = .milliseconds(10)
    /// The time between looks at a shared store if the system does not report its changes.
    package var interval: Duration = .seconds(1)
    /// The time between looks at a store if the system reports its changes.
    package var intervalWithEvents: Duration = .seconds(5)
    /// The maximum duration of one look.
    package var longestLook: Duration = .seconds(5)
    /// Whether to request events from the system.
    package var usesEvents = true

    /// Creates the default pace.
    package init() {}
}
