internal import Observation

/// Finds out whether the running thread is in `withObservationTracking`, for far less than a registrar for each model
/// that is read.
///
/// Observation has no call that tells. But in tracking, it adds the key path of each access to a set, and so hashes it. The
/// probe's key path has an argument that notices that. Used by one thread at a time.
final class TrackingProbe: Observable {
    /// A registrar. After tracking has seen it, it is that of the model that was read, and ends with the model.
    final class Attempt {
        fileprivate let bell = Bell()
        fileprivate let path: KeyPath<TrackingProbe, Void>
        // The last one, because its size is only known at run time.
        let registrar = ObservationRegistrar()

        fileprivate init() { path = \TrackingProbe[bell] }
    }

    /// Rings when it is hashed.
    fileprivate final class Bell: Hashable {
        @exclusivity(unchecked) var hasRung = false

        static func == (left: Bell, right: Bell) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasRung = true }
    }

    /// Retained here. A plain reference would be counted for each read of a value.
    @exclusivity(unchecked) private var attempt = Unmanaged.passRetained(Attempt())

    deinit { attempt.release() }

    fileprivate subscript(bell: Bell) -> Void { () }

    /// Returns a registrar that the running thread's tracking has seen, for the model that is being read. Returns `nil` if
    /// the thread does not track accesses.
    func attemptIfTracking() -> Attempt? {
        let isTracking = attempt._withUnsafeGuaranteedRef { attempt in
            attempt.registrar.access(self, keyPath: attempt.path)
            return attempt.bell.hasRung
        }
        return isTracking ? replaceAttempt() : nil
    }

    private func replaceAttempt() -> Attempt {
        defer { attempt = Unmanaged.passRetained(Attempt()) }
        return attempt.takeRetainedValue()
    }
}
