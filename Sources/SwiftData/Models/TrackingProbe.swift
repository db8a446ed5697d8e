internal import Observation

/// Finds out whether the running thread is in `withObservationTracking`, for far less than a registrar for each model
/// that is read.
///
/// Observation has no call that tells. But in tracking, it adds the key path of each access to a set, and so hashes it. The
/// probe's key path has an argument that notices that. Used by one thread at a time.
final class TrackingProbe: Observable {
    /// Whether a probe notices tracking. If a version of Observation does not hash key paths, contexts use no probe, and each
    /// model that is read gets a registrar.
    static let isReliable = withObservationTracking {
        TrackingProbe().isTracking()
    } onChange: {
    }

    /// A registrar. After tracking has seen it, it becomes that of the model that was read, and ends with the model.
    final class Attempt {
        fileprivate let bell = Bell()
        fileprivate let path: KeyPath<TrackingProbe, Void>
        // The last one, because its size is only known at run time.
        let registrar = ObservationRegistrar()

        init() { path = \TrackingProbe[bell] }
    }

    /// Rings when it is hashed.
    fileprivate final class Bell: Hashable {
        var hasRung = false

        static func == (left: Bell, right: Bell) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasRung = true }
    }

    /// Retained here. A plain reference would be counted for each read of a value.
    private var attempt = Unmanaged.passRetained(Attempt())

    deinit { attempt.release() }

    fileprivate subscript(bell: Bell) -> Void { () }

    /// Returns whether the running thread tracks accesses. If so, its tracking has seen the registrar of the attempt, which
    /// the caller takes.
    func isTracking() -> Bool {
        attempt._withUnsafeGuaranteedRef { attempt in
            attempt.registrar.access(self, keyPath: attempt.path)
            return attempt.bell.hasRung
        }
    }

    /// Returns the attempt, and begins another one.
    func takeAttempt() -> Attempt {
        defer { attempt = Unmanaged.passRetained(Attempt()) }
        return attempt.takeRetainedValue()
    }
}
