import ArgumentParser

/// The maximum number of members of a to-many relationship that are listed: a number, or all.
struct MemberLimit: ExpressibleByArgument, CustomStringConvertible {
    let count: Int

    init(_ count: Int) { self.count = count }

    init?(argument: String) {
        if argument == "all" {
            count = .max
        } else if let count = Int(argument), count >= 0 {
            self.count = count
        } else {
            return nil
        }
    }

    var description: String { count == .max ? "all" : "\(count)" }
}
