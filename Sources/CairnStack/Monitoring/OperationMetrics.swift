import CoreMetrics

/// The metrics of one coordinator in one backend.
final class OperationMetrics: Sendable {
    /// Whether there is a metrics backend. If not, reads do not record anything.
    let isRecording: Bool
    private let factory: any MetricsFactory
    /// The timer of each operation, by ``MonitoredOperation/index``.
    private let durations: [Timer]
    private let rowsRead: Counter
    private let inserted: Counter
    private let updated: Counter
    private let deleted: Counter
    private let recoveredSaves: Counter
    private let openStores: Meter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        isRecording = !(factory is NOOPMetricsHandler)
        durations = MonitoredOperation.allCases.map { operation in
            Timer(
                label: "cairn.operation.duration",
                dimensions: [("operation", operation.rawValue)], factory: factory)
        }
        rowsRead = Counter(label: "cairn.rows.read", factory: factory)
        let saved = { change in
            Counter(
                label: "cairn.objects.saved", dimensions: [("change", change)], factory: factory)
        }
        inserted = saved("inserted")
        updated = saved("updated")
        deleted = saved("deleted")
        recoveredSaves = Counter(label: "cairn.saves.recovered", factory: factory)
        openStores = Meter(label: "cairn.stores.open", factory: factory)
    }

    func record(_ operation: MonitoredOperation, nanoseconds: Int64) {
        durations[operation.index].recordNanoseconds(nanoseconds)
    }

    func recordFailure(_ operation: MonitoredOperation, code: Int) {
        Counter(
            label: "cairn.operation.failures",
            dimensions: [("operation", operation.rawValue), ("code", "\(code)")], factory: factory
        ).increment()
    }

    func recordSlow(_ operation: MonitoredOperation) {
        Counter(
            label: "cairn.operation.slow", dimensions: [("operation", operation.rawValue)],
            factory: factory
        ).increment()
    }

    func recordRead(rowCount: Int) { rowsRead.increment(by: rowCount) }

    func recordSaved(_ counts: ChangeSet.Counts) {
        inserted.increment(by: counts.inserted)
        updated.increment(by: counts.updated)
        deleted.increment(by: counts.deleted)
    }

    func recordRecoveredSave() { recoveredSaves.increment() }
    func recordOpened() { openStores.increment() }
    func recordClosed() { openStores.decrement() }
}
