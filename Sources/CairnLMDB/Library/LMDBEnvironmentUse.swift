import CairnFiles

/// The right to use an environment. A store, its snapshots and its saves each hold one.
///
/// Keeps the file open. If the environment becomes unusable, the holder asks the registry for the
/// right to use the environment that replaces it.
final class LMDBEnvironmentUse: Sendable {
    private let registry: LMDBRegistry
    let file: ProcessFile
    let environment: LMDBEnvironment

    init(
        _ environment: LMDBEnvironment, _ file: ProcessFile, _ registry: LMDBRegistry
    ) {
        self.environment = environment
        self.file = file
        self.registry = registry
    }

    deinit { registry.endUse(file) }
}
