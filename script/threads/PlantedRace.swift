// Two threads that change a number. `script/check-threads` runs this program with ThreadSanitizer, to show that
// the checker reports races, and that it reports nothing else.
//
//     PlantedRace nothing   the number is not protected, which must be reported
//     PlantedRace mutex     a contended mutex protects the number, which must not be reported

import Dispatch
import Foundation
import Synchronization

let rounds = 200_000

final class Guarded: Sendable {
    let number = Mutex(0)
}

final class Unguarded: @unchecked Sendable {
    // Unchecked on purpose: nothing protects the number.
    var number = 0
}

final class Starters: Sendable {
    let count = Atomic<Int>(0)
}

/// Runs the body repeatedly on two threads in parallel.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
    let starters = Starters()
    let threads = (0..<2).map { _ in
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            // If one thread ended before the other began, the start of the second would order them.
            starters.count.add(1, ordering: .relaxed)
            while starters.count.load(ordering: .relaxed) < 2 {}
            for _ in 0..<rounds { body() }
            done.signal()
        }
        thread.start()
        return done
    }
    for done in threads { done.wait() }
}

switch CommandLine.arguments.dropFirst().first {
case "nothing":
    let shared = Unguarded()
    onTwoThreads { shared.number += 1 }
    print("without a guard: \(2 * rounds - shared.number) of \(2 * rounds) additions were lost")
case "mutex":
    let shared = Guarded()
    onTwoThreads { shared.number.withLock { $0 += 1 } }
    let sum = shared.number.withLock { $0 }
    print("with a mutex: \(2 * rounds - sum) of \(2 * rounds) additions were lost")
    exit(sum == 2 * rounds ? 0 : 1)
default:
    print("usage: PlantedRace nothing|mutex")
    exit(2)
}
