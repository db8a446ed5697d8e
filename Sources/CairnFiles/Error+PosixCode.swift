import Foundation

extension Error {
    /// The operating system's code that underlies a Foundation error, or `EIO` if the error has no
    /// such code.
    package var posixCode: Int32 {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying?.code).flatMap(Int32.init(exactly:)) ?? EIO
    }
}
