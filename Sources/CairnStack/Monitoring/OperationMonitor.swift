import CairnModel
import CairnStore
import CoreMetrics
import Dispatch
import Logging
import Synchronization

/// Measures the operations of a coordinator, and reports them to its log and its metrics.
///
/// Reads that take less than a microsecond pass through ``measure(_:_:rows:result:_:)``. If no message is due and
/// there is no metrics backend, this costs a lock and two readings of the clock.
package final class OperationMonitor: Sendable {
    /// A configuration, and what is derived from it.
    private final class Reports: Sendable {
        let configuration: Monitoring
        let metrics: OperationMetrics
        /// `UInt64.max` if no operation is reported as slow.
        let slowNanoseconds: UInt64
        /// The log level. Asking the logger takes longer than reading a row from memory.
        let level: Logger.Level
        /// The limit of warnings of each operation, by ``MonitoredOperation/index``.
        private let limits = Mutex(
            [WarningLimit](repeating: WarningLimit(), count: MonitoredOperation.allCases.count))

        init(_ configuration: Monitoring) {
            self.configuration = configuration
            metrics = OperationMetrics(configuration.metricsFactory)
            level = configuration.logger.logLevel
            slowNanoseconds = configuration.slowOperationThreshold?.wholeNanoseconds ?? .max
        }

        /// Returns what a warning about a slow operation says about earlier ones, or `nil` if it is left
        /// out, because there was one within the last minute.
        func warningNote(_ operation: MonitoredOperation) -> String? {
            let now = DispatchTime.now().uptimeNanoseconds
            guard let count = limits.withLock({ $0[operation.index].admit(at: now) }) else {
                return nil
            }
            return count == 0 ? "" : " \(count) slow operations before it had no warning."
        }
    }

    private let reports = Mutex(Reports(Monitoring()))
    private let hasNotedOrder = Atomic(false)
    /// The kinds of requests that were said to read many rows for each that they return.
    private let wastefulKinds = Mutex<Set<String>>([])

    var configuration: Monitoring { current.configuration }

    /// Replaces the configuration. The open stores are then counted by the new metrics backend, and no longer
    /// by the old one.
    func configure(_ configuration: Monitoring, openStoreCount: Int) {
        let new = Reports(configuration)
        let old = reports.withLock { reports in
            let old = reports
            reports = new
            return old
        }
        for _ in 0..<openStoreCount {
            old.metrics.recordClosed()
            new.metrics.recordOpened()
        }
    }

    package var logger: Logger { current.configuration.logger }
    var metrics: OperationMetrics { current.metrics }

    private var current: Reports { reports.withLock { $0 } }

    /// Runs a closure, and reports how long it took and whether it failed.
    ///
    /// - Parameters:
    ///   - metadata: Describes the operation. Called only if there is a message.
    ///   - rows: Returns the number of rows that were read.
    ///   - result: Describes the result. Called only if there is a message.
    func measure<Result>(
        _ operation: MonitoredOperation, _ metadata: @autoclosure () -> Logger.Metadata,
        rows rowCount: (Result) -> Int = { (_: Result) in 0 },
        result describe: (Result) -> Logger.Metadata = { (_: Result) in [:] },
        _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let reports = current
        let start = DispatchTime.now().uptimeNanoseconds
        do {
            let result = try body()
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
            if reports.metrics.isRecording {
                reports.metrics.record(operation, nanoseconds: Int64(nanoseconds))
                reports.metrics.recordRead(rowCount: rowCount(result))
            }
            let isSlow = nanoseconds >= reports.slowNanoseconds
            if isSlow || reports.level <= operation.level {
                report(
                    operation, nanoseconds, isSlow: isSlow,
                    metadata().merging(describe(result)) { first, _ in first }, to: reports)
            }
            return result
        } catch {
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
            reportFailure(operation, nanoseconds, error, metadata(), to: reports)
            throw error
        }
    }

    func noteOpenedStore() { metrics.recordOpened() }

    func noteClosedStore(_ location: StoreLocation) {
        metrics.recordClosed()
        logger.debug("Closed a store.", metadata: ["store": "\(location)"])
    }

    /// - Parameter location: The store that could not be used until the save was finished.
    func noteRecoveredSave(ledToBy location: StoreLocation, without: [StoreLocation]) {
        metrics.recordRecoveredSave()
        guard without.isEmpty else {
            let names = without.map(\.description).joined(separator: ", ")
            return logger.warning(
                "Ended an interrupted save, as requested. Some of its stores do not contain it, or may not.",
                metadata: ["store": "\(location)", "without": "\(names)"])
        }
        logger.notice(
            "Finished a save to several stores that had been interrupted.",
            metadata: ["store": "\(location)"])
    }

    /// Reports, once in the life of the coordinator, that several stores accept new objects of an entity, so
    /// that only the order of the stores decides which one gets them.
    func noteOrderDecided(onNew entity: String, among stores: [StoreLocation]) {
        guard !hasNotedOrder.exchange(true, ordering: .relaxed) else { return }
        logger.notice(
            """
            Several stores accept the same new objects, and only the order of the stores decides: the first \
            store gets them. To choose, give each store a configuration, or call assign(_:to:).
            """,
            metadata: [
                "entity": "\(entity)",
                "stores": "\(stores.map(\.description).joined(separator: ", "))",
            ])
    }

    /// Warns, once for each kind of request, that engines read many rows for each object that a fetch returned.
    func noteWaste(of plan: FetchPlan, read: Int, returned: Int) {
        var metadata = plan.logMetadata
        (metadata["limit"], metadata["offset"]) = (nil, nil)
        let kind = metadata.sorted { $0.key < $1.key }.map { "\($0.value)" }.joined(separator: "; ")
        // Programs that make up requests must not fill the memory.
        guard wastefulKinds.withLock({ $0.count < 1_000 && $0.insert(kind).inserted }) else {
            return
        }
        metadata["rows"] = "\(read)"
        metadata["objects"] = "\(returned)"
        logger.warning(
            """
            A fetch read at least 1,000 rows for each object that it returned. An index may be missing: \
            explain(_:) tells. Requests of this kind have no further warning.
            """, metadata: metadata)
    }

    /// - Parameter description: Says which stores do not belong together.
    func noteMismatch(_ description: String) {
        logger.warning("The stores do not belong together.", metadata: ["stores": "\(description)"])
    }

    /// Reports that a turn of a context ended with unsaved changes.
    package func noteUnsavedChanges(
        of context: String, inserted: Int, updated: Int, deleted: Int
    ) {
        logger.notice(
            "A turn ended with unsaved changes. They are lost if the context ends before it saves them.",
            metadata: [
                "context": "\(context)", "inserted": "\(inserted)", "updated": "\(updated)",
                "deleted": "\(deleted)",
            ])
    }

    /// - Parameter save: A save that succeeded, and the stores that have yet to write their parts.
    func notePendingSave(_ save: InterruptedSave) {
        logger.warning(
            "A save succeeded, but a store has yet to write its part.",
            metadata: ["error": "\(GraphError.savePending(save))"])
    }

    private func report(
        _ operation: MonitoredOperation, _ nanoseconds: UInt64, isSlow: Bool,
        _ metadata: Logger.Metadata, to reports: Reports
    ) {
        let metadata = metadata.with(operation, nanoseconds)
        let logger = reports.configuration.logger
        if isSlow { reports.metrics.recordSlow(operation) }
        guard isSlow, let note = reports.warningNote(operation) else {
            logger.log(level: operation.level, "\(operation.outcome)", metadata: metadata)
            return
        }
        let (time, threshold) = (Self.text(nanoseconds), Self.text(reports.slowNanoseconds))
        logger.warning(
            "\(operation.subject) took \(time), and the threshold is \(threshold).\(note)",
            metadata: metadata)
    }

    private func reportFailure(
        _ operation: MonitoredOperation, _ nanoseconds: UInt64, _ error: GraphError,
        _ metadata: @autoclosure () -> Logger.Metadata, to reports: Reports
    ) {
        reports.metrics.recordFailure(operation, code: error.code)
        let logger = reports.configuration.logger
        let isSlow = nanoseconds >= reports.slowNanoseconds
        if isSlow { reports.metrics.recordSlow(operation) }
        if isSlow, let note = reports.warningNote(operation) {
            logger.warning(
                "\(operation.subject) failed after \(Self.text(nanoseconds)).\(note)",
                metadata: metadata().with(operation, nanoseconds, error))
        } else {
            logger.debug(
                "\(operation.subject) failed.",
                metadata: metadata().with(operation, nanoseconds, error))
        }
    }

    private static func text(_ nanoseconds: UInt64) -> String {
        let milliseconds = Double(nanoseconds) / 1e6
        let (number, unit) = milliseconds < 1000 ? (milliseconds, "ms") : (milliseconds / 1000, "s")
        return "\((number * 100).rounded() / 100) \(unit)"
    }
}

/// Lets one warning pass each minute, and counts the others, so that a slow disk does not fill a log.
struct WarningLimit {
    private static let interval: UInt64 = 60_000_000_000

    private var last: UInt64?
    private var omittedCount = 0

    /// Returns the number of warnings that were left out since the last one, or `nil` if this one has to
    /// be left out.
    ///
    /// - Parameter now: The time in nanoseconds.
    mutating func admit(at now: UInt64) -> Int? {
        if let last, now < last &+ Self.interval {
            omittedCount += 1
            return nil
        }
        defer { (last, omittedCount) = (now, 0) }
        return omittedCount
    }
}

extension MonitoredOperation {
    /// The level of the message about an operation that was not slow.
    fileprivate var level: Logger.Level {
        switch self {
        case .migrate: .notice
        case .open, .save: .debug
        case .fetch, .count, .dictionaries, .fault, .relationship, .externalData: .trace
        }
    }

    /// The message about an operation that was not slow.
    fileprivate var outcome: String {
        switch self {
        case .open: "Opened a store."
        case .migrate: "Migrated stores to the current version of the model."
        case .fetch: "Fetched objects."
        case .count: "Counted objects."
        case .dictionaries: "Fetched dictionaries."
        case .fault: "Read the rows of faults."
        case .relationship: "Read members of relationships."
        case .externalData: "Read external data."
        case .save: "Saved changes."
        }
    }
}

extension Logger.Metadata {
    fileprivate func with(
        _ operation: MonitoredOperation, _ nanoseconds: UInt64, _ error: GraphError? = nil
    ) -> Self {
        var metadata = self
        metadata["operation"] = "\(operation.rawValue)"
        metadata["milliseconds"] = "\(Double(nanoseconds / 1000) / 1000)"
        if let error { metadata["error"] = "\(error)" }
        return metadata
    }
}

extension Duration {
    /// The number of nanoseconds, rounded towards zero, and limited to the range of the type.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : whole + UInt64(attoseconds / 1_000_000_000)
    }
}

extension FetchPlan {
    /// Describes the fetch without values of objects: the predicate is represented by its properties.
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["entity": "\(entity.name)"]
        let properties = Set(predicate?.paths.map(\.text) ?? [])
        if !properties.isEmpty { metadata["condition"] = "\(properties.sorted().list)" }
        if !sorts.isEmpty { metadata["sort"] = "\(sorts.map(\.path.text).list)" }
        // Fetches in batches have the greatest limit, so that their rows are not read together.
        if let limit, limit < .max { metadata["limit"] = "\(limit)" }
        if offset > 0 { metadata["offset"] = "\(offset)" }
        return metadata
    }
}

extension BoundPath {
    /// The names along the path.
    fileprivate var text: String {
        var path = self
        path.collectionOperator = nil
        return path.names.isEmpty ? "self" : path.names.joined(separator: ".")
    }
}

extension [RelatedQuestion] {
    /// The relationships and the number of their owners.
    var logMetadata: Logger.Metadata {
        let names = map { "\($0.relationship.entity.name).\($0.relationship.name)" }
        return [
            "relationships": "\(names.list)", "owners": "\(map(\.owners.count).reduce(0, +))",
        ]
    }
}

extension ChangeSet.Counts {
    /// The number of changed objects.
    var logMetadata: Logger.Metadata {
        [
            "inserted": "\(inserted)", "updated": "\(updated)", "deleted": "\(deleted)",
        ]
    }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}
