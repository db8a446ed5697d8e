import CairnCLinux
import Foundation

/// A thread with a name that debuggers and `/proc` show.
package enum NamedThread {
    /// Starts a thread that runs the body and then ends.
    ///
    /// - Parameters:
    ///   - name: the name of the thread. Linux shows its first 15 bytes.
    ///   - body: the work of the thread.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        Thread {
            // Foundation's own property loses the names of some threads. Linux accepts 15 bytes.
            #if os(Linux)
            cairn_name_running_thread(String(name.prefix(15)))
            #else
            pthread_setname_np(name)
            #endif
            body()
        }
        .start()
    }
}
