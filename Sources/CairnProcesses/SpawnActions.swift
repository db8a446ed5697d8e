import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// The actions between the start of a process and the start of its program.
struct SpawnActions: ~Copyable {
    #if canImport(Darwin)
    private var actions: posix_spawn_file_actions_t?
    #else
    private var actions = posix_spawn_file_actions_t()
    #endif

    /// The descriptors to keep open until the program is started.
    private var given: [OwnDescriptor] = []

    init() throws(ChildProcess.Failure) {
        guard posix_spawn_file_actions_init(&actions) == 0 else {
            throw ChildProcess.Failure(description: "no process: \(systemError())")
        }
    }

    deinit {
        var actions = actions
        posix_spawn_file_actions_destroy(&actions)
    }

    /// Makes a descriptor available to the program under a number.
    mutating func connect(_ descriptor: OwnDescriptor, to number: Int32) {
        posix_spawn_file_actions_adddup2(&actions, descriptor.number, number)
        given.append(descriptor)
    }

    /// Makes a file that the program can write to available under a number.
    mutating func open(_ path: String, as number: Int32) {
        posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY, 0)
    }

    /// Starts the program, with no descriptors but the standard ones.
    ///
    /// Descriptors that this program has open may carry locks, and a child that inherited them
    /// would keep the locks.
    consuming func start(
        _ program: String, _ arguments: [String]
    ) throws(ChildProcess.Failure) -> pid_t {
        let words = Self.copies([program] + arguments)
        let environment = Self.copies(
            ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
        defer { for text in words + environment { free(text) } }
        var id: pid_t = 0
        var attributes = try SpawnAttributes()
        #if !canImport(Darwin)
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        #endif
        let failure = posix_spawnp(
            &id, program, &actions, &attributes.value, words, environment)
        guard failure == 0 else {
            throw ChildProcess.Failure(
                description:
                    "\(program) could not be started: \(String(cString: strerror(failure)))")
        }
        return id
    }

    /// Returns copies of the strings as C strings, followed by `nil`. The caller has to free them.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}

/// The attributes that a process is started with.
private struct SpawnAttributes: ~Copyable {
    #if canImport(Darwin)
    var value: posix_spawnattr_t?
    #else
    var value = posix_spawnattr_t()
    #endif

    /// Resets all signals to the state at the start of a program. The calling thread may block
    /// signals, as Dispatch's threads do. A child that inherited that could not even be ended by
    /// its own alarm.
    init() throws(ChildProcess.Failure) {
        guard posix_spawnattr_init(&value) == 0 else {
            throw ChildProcess.Failure(description: "no process: \(systemError())")
        }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&value, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&value, &signals)
        posix_spawnattr_setflags(&value, Int16(flags))
    }

    deinit {
        var value = value
        posix_spawnattr_destroy(&value)
    }
}
