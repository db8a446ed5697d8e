/// How often a watcher looks at its stores.
package struct WatchPace: Sendable {
    /// The pauses between the looks after an event.
    ///
    /// The system tells of a write when it is done. The commit may be visible only later: a SQLite
    /// log is written and synchronized first, and then an index in shared memory says that it counts,
    /// of which no event tells.
    package var pausesAfterEvent: [Duration] = [
        .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
    ]
    /// The least time between two looks, so that many saves are one report.
    package var shortestPause: Duration = .milliseconds(10)
    /// The time between looks at a shared store if the system does not tell of its changes.
    package var interval: Duration = .seconds(1)
    /// The time between looks at a store of whose changes the system tells.
    package var intervalWithEvents: Duration = .seconds(5)
    /// How long one look may take.
    package var longestLook: Duration = .seconds(5)
    /// Whether to ask the system for events.
    package var usesEvents = true

    /// The pace for programs.
    package init() {}
}
